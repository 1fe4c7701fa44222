/** Ours, by the name that the conventions have for them; the others are called the same there, or not known. */
const CONVENTIONAL: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['gemini', 'gcp.gemini'],
  ['vertex', 'gcp.vertex_ai'],
]);

/** `gen_ai.provider.name` of one of our model providers. */
export const providerName = (provider: string): string => CONVENTIONAL.get(provider) ?? provider;
