import { z } from 'zod';
import { TellPerson, TryLater } from '../../lib/errors.ts';
import { address, hostOf, type Provider } from '../provider.ts';

const variables = z.object({
  GOOGLE_CLOUD_PROJECT: z
    .string('missing. It is the ID of your project in the Google Cloud console')
    .regex(/^[a-z0-9.:-]+$/, 'must be a project ID: lowercase letters, digits and hyphens')
    .describe('The Google Cloud project to bill'),
  GOOGLE_CLOUD_LOCATION: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be a location, such as `global` or `europe-west1`')
    .default('global')
    .describe('The location the models run in'),
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional().meta({
    unset: "the machine's or `gcloud`'s account",
    description: 'Key file of a service account',
  }),
  GOOGLE_VERTEX_BASE_URL: address.optional().meta({
    unset: "Google's",
    description: 'A proxy in front of Vertex AI',
  }),
});

/** Gemini's models on Google Cloud, billed to a project there. */
export const vertex: Provider<typeof variables> = {
  name: 'vertex',
  variables,
  // The key is in a file, and its tokens never leave the client.
  secrets: () => [],
  destination: ({ GOOGLE_CLOUD_LOCATION: location, GOOGLE_VERTEX_BASE_URL: url }) =>
    url === undefined ? `Google Vertex AI (${location})` : `the model server (${hostOf(url)})`,
  open: async (model, settings) => {
    const {
      GOOGLE_CLOUD_PROJECT: project,
      GOOGLE_CLOUD_LOCATION: location,
      GOOGLE_VERTEX_BASE_URL: baseUrl,
    } = settings;
    const { geminiAdapter } = await import('../gemini/gemini-adapter.ts');
    return geminiAdapter(model, {
      options: optionsOf(settings),
      place: [baseUrl ?? 'vertex', project, location].join('/'),
      addressSetting: baseUrl === undefined ? 'GOOGLE_CLOUD_LOCATION' : 'GOOGLE_VERTEX_BASE_URL',
      unsigned,
    });
  },
  embeddings: async (model, settings) => {
    const { geminiEmbeddings } = await import('../gemini/gemini-adapter.ts');
    return geminiEmbeddings(model, { options: optionsOf(settings) });
  },
};

const optionsOf = ({
  GOOGLE_CLOUD_PROJECT: project,
  GOOGLE_CLOUD_LOCATION: location,
  GOOGLE_APPLICATION_CREDENTIALS: keyFilename,
  GOOGLE_VERTEX_BASE_URL: baseUrl,
}: z.output<typeof variables>) => ({
  vertexai: true,
  project,
  location,
  apiVersion: 'v1beta1',
  ...(keyFilename === undefined ? {} : { googleAuthOptions: { keyFilename } }),
  ...(baseUrl === undefined ? {} : { httpOptions: { baseUrl } }),
});

/** Error codes of temporary network failures. */
const NETWORK: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

/** The error for a failed Google Cloud sign-in. Its own message may quote the key, so it is not shown. */
function unsigned(cause: unknown): Error {
  const { status, code } = Object(cause) as { status?: unknown; code?: unknown };
  const isPassing = typeof status === 'number' && (status === 429 || status >= 500);
  if (isPassing || NETWORK.has(code)) {
    return new TryLater('cannot reach the Google Cloud sign-in', { cause });
  }
  return new TellPerson(
    'Google Cloud sign-in for Vertex AI failed. Set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account, or run `gcloud auth application-default login`.',
    { cause },
  );
}
