// The vendors' own clients, for one table of tests over all wires.
import { chat } from './chat.ts';
import { gemini, vertex } from './gemini.ts';
import { messages } from './messages.ts';
import { ollama } from './ollama.ts';
import { responses } from './responses.ts';
import type { ModelClient } from './talk.ts';

export const MODEL_CLIENTS: readonly ModelClient[] = [
  { name: 'Chat Completions', seals: true, caches: true, talk: chat },
  { name: 'Responses', seals: true, caches: true, talk: responses },
  { name: 'Messages', seals: true, caches: true, talk: messages },
  { name: 'Gemini', seals: true, caches: true, talk: gemini },
  { name: 'Vertex', seals: true, caches: true, talk: vertex },
  { name: 'Ollama', seals: false, caches: false, talk: ollama },
];
