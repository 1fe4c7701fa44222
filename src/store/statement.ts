import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { DatabaseTransaction } from './database.ts';

/** SQL that is run so often that each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** `Row`: what the statement answers with; nothing checks it. */
export type Execute = <Row extends object>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** A transaction of its own, in one round trip; prepared, as to plan it takes longer than to run it. */
export const alone =
  (pool: pg.Pool): Execute =>
  async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) => {
    const { rows } = await pool.query<Row>({ name, text, values: [...values] });
    return rows;
  };

/** A part of `transaction`. */
export const within =
  (transaction: DatabaseTransaction): Execute =>
  async <Row extends object>({ text }: Statement, values: readonly unknown[]) => {
    const { rows } = await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return rows;
  };
