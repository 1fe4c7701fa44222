import { z } from 'zod';
import { brief } from '../arguments.ts';
import { defineTool, type Needs } from '../define-tool.ts';

const schema = z.object({ name: z.string().trim().min(1).max(100) });

export const readSkill = defineTool({
  name: 'read_skill',
  aliases: ['skill', 'load_skill'],
  description: 'Reads one of the skills of this repository that your instructions list.',
  arguments: schema,
  argumentAliases: { skill: 'name', skill_name: 'name' },
  safety: 'safe',
  changesNothing: () => true,
  example: { name: 'release-notes' },
  rendering: { arguments: { name: 'plain' }, output: 'prose' },
  title: ({ name }) => `Read the skill ${brief(name)}`,
  run: ({ name }, { skills }: Needs<'skills'>) => Promise.resolve({ output: skills.read(name) }),
});
