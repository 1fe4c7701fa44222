/**
 * Globs of the files and directories of a repository that tell other agents what to do, or which programs to run, by
 * agent. Only what the agent's documentation names, and reads without being told to. What is missing here is caught by
 * `maySteerUnlisted` (docs/decisions/0047-what-a-commit-takes.md#0094-which-files-steer-agents-is-a-list-and-the-pull-request-shows-the-rest).
 */
export const OTHER_AGENTS: Readonly<Record<string, readonly string[]>> = {
  'several agents': ['.agents', '.mcp.json', '.vscode/mcp.json', '.rules', 'AGENTS.local.md'],
  AdaL: ['.adal'],
  'Amazon Q': ['.amazonq'],
  Agentforce: ['.vibes'],
  Aider: ['.aider.conf.yml'],
  Amp: ['.amp'],
  Antigravity: ['.agent', '.antigravity'],
  Augment: ['.augment', '.augment-guidelines'],
  'Claude Code': ['CLAUDE.local.md', '.claude'],
  Cline: ['.clinerules', '.cline'],
  CodeBuddy: ['CODEBUDDY.md', 'CODEBUDDY.local.md', '.codebuddy'],
  CodeRabbit: ['.coderabbit{,.yaml,.yml}'],
  Codex: ['AGENTS.override.md', '.codex'],
  'Command Code': ['.commandcode'],
  Continue: ['.continue', '.continuerules'],
  Copilot: ['.github/{instructions,prompts,agents,chatmodes,skills,hooks}'],
  Crush: ['CRUSH.md', '.crush', '.crush.json', 'crush.json'],
  Cursor: ['.cursorrules', '.cursor'],
  'Deep Agents': ['.deepagents'],
  Devin: ['.devin'],
  Factory: ['.factory'],
  Firebender: ['.firebender', 'firebender.json'],
  Firebase: ['.idx'],
  Gemini: ['GEMINI.md', '.gemini'],
  Goose: ['.goosehints', '.goose'],
  gptme: ['gptme.toml'],
  Greptile: ['greptile.json', '.greptile'],
  'Grok CLI': ['.grok'],
  Hermes: ['.hermes', '.hermes.md'],
  iFlow: ['IFLOW.md', '.iflow'],
  JetBrains: ['.junie', '.aiassistant'],
  'Kilo Code': ['.kilocode', '.kilocoderules', '.kilocodemodes', '.kilo', 'kilo.{json,jsonc}'],
  Kimi: ['.kimi-code'],
  Kiro: ['.kiro'],
  Kode: ['.kode'],
  Lingma: ['.lingma'],
  MCPJam: ['.mcpjam'],
  'Mistral Vibe': ['.vibe'],
  Mux: ['.mux'],
  Neovate: ['.neovate'],
  OpenCode: ['.opencode', 'opencode.{json,jsonc}'],
  OpenHands: ['.openhands', '.openhands_instructions'],
  'PR-Agent': ['.pr_agent.toml'],
  Pi: ['.pi'],
  Pochi: ['.pochi'],
  Qoder: ['.qoder'],
  Qwen: ['QWEN.md', 'QWEN.local.md', '.qwen'],
  Reasonix: ['REASONIX.md', '.reasonix', 'reasonix.toml'],
  Replit: ['replit.md'],
  'Rovo Dev': ['.rovodev'],
  'Roo Code': ['.roo', '.roorules{,-*}', '.roomodes'],
  'Ruler and Rulesync': ['.ruler', '.rulesync'],
  Tabnine: ['.tabnine'],
  Takt: ['.takt'],
  Trae: ['.trae'],
  Void: ['.voidrules'],
  Warp: ['WARP.md'],
  Windsurf: ['.windsurfrules', '.windsurf'],
  Zed: ['.zed'],
  Zencoder: ['.zencoder'],
};

/** Hidden names that are git's own, or hold a place. */
const HARMLESS = new Set(['.gitignore', '.gitattributes', '.gitkeep', '.keep', '.mailmap']);
/** Documents for people, which have such names too. */
const FOR_PEOPLE =
  /^(?:readme|changelog|changes|history|news|licen[cs]e|copying|notice|authors|contributors|maintainers|code_of_conduct|security|support|upgrading|migration|migrating|architecture|roadmap|todo|install|faq)(?![a-z])/i;
const IN_CAPITALS = /^[A-Z][A-Z\d_-]*(?:\.[a-z]+)?\.(?:md|mdx|mdc|txt)$/;

/**
 * Whether programs or agents may follow a file without being told to, by how such files are named: hidden, or a text
 * whose name is in capitals. Holds for agents that nobody here knows.
 */
export function maySteerUnlisted(path: string): boolean {
  const names = path.split('/');
  const name = names.at(-1) ?? '';
  if (names.some((each) => each.startsWith('.') && !HARMLESS.has(each))) return true;
  return IN_CAPITALS.test(name) && !FOR_PEOPLE.test(name);
}
