import { sql } from 'kysely';
import type { MemoryVector, MemoryVectors, VectorKind } from '../../contracts/memory.ts';
import type { Database } from '../database/database.ts';
import { repositoryOf } from '../sessions.ts';

/** See `MemoryStore.vectors`. */
export async function readVectors(
  database: Database,
  session: string,
  { model, dimensions }: VectorKind,
  limit: number,
): Promise<MemoryVectors> {
  const bytes = dimensions * Float32Array.BYTES_PER_ELEMENT;
  const { rows } = await sql<{ number: number; vector: Buffer }>`
    select number, vector from issuewright.memory_vectors
    where repository_id = ${repositoryOf(session)} and model = ${model}
      and octet_length(vector) = ${bytes}`.execute(database);
  const { rows: missing } = await sql<{ number: number; text: string }>`
    select number, text from issuewright.memories
    where repository_id = ${repositoryOf(session)} and forgotten_by is null and not exists (
      select from issuewright.memory_vectors as vectors
      where vectors.repository_id = memories.repository_id and vectors.number = memories.number
        and model = ${model} and octet_length(vector) = ${bytes})
    order by number desc limit ${limit}`.execute(database);
  return {
    known: rows.map(({ number, vector }) => ({ number, vector: fromBytes(vector) })),
    missing,
  };
}

/** See `MemoryStore.saveVectors`. */
export async function saveVectors(
  database: Database,
  session: string,
  model: string,
  vectors: readonly MemoryVector[],
): Promise<void> {
  if (vectors.length === 0) return;
  const numbers = vectors.map(({ number }) => number);
  const bytes = vectors.map(({ vector }) => toBytes(vector));
  await sql`
    insert into issuewright.memory_vectors (repository_id, number, model, vector)
    select repository_id, number, ${model}, vector
    from issuewright.memories
    join unnest(${numbers}::integer[], ${bytes}::bytea[]) as given (number, vector) using (number)
    where repository_id = ${repositoryOf(session)} and forgotten_by is null
    for key share of memories
    on conflict (repository_id, number) do update
      set model = excluded.model, vector = excluded.vector`.execute(database);
}

/** As this machine has them in memory: little-endian on all that Issuewright runs on. */
const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Copied, because floats must be aligned. */
const fromBytes = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
