import type { ColumnType, Generated } from 'kysely';
import type { StoredChange } from '../../contracts/files.ts';

type Timestamp = ColumnType<Date, Date, Date>;
type OptionalTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
type DefaultTimestamp = ColumnType<Date, Date | undefined, Date>;

export interface SessionTable {
  id: string;
  installation: number;
  repository_id: number;
  owner: string;
  name: string;
  issue: number;
  title: Generated<string>;
  pull_request: ColumnType<number | null, number | null | undefined, number | null>;
  state: Generated<string>;
  outcome: Generated<string>;
  model: Generated<string>;
  dollars: Generated<number>;
  is_partial: Generated<boolean>;
  last_seq: Generated<number>;
  published_seq: Generated<number>;
  claim: ColumnType<string | null, string | null | undefined, string | null>;
  /** How often it was claimed. */
  claims: Generated<number>;
  /** See `AppendOptions.fence`. */
  append_fence: Generated<number>;
  wake_at: OptionalTimestamp;
  publish_at: OptionalTimestamp;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
}

interface DeliveryTable {
  id: string;
  meaning: string;
  event: string;
  /** `null`: it was read from GitHub's list, and belongs to no session. */
  session_id: ColumnType<string | null, string | null | undefined, string | null>;
  received_at: DefaultTimestamp;
}

export interface JournalTable {
  session_id: string;
  seq: number;
  at: Timestamp;
  version: number;
  type: string;
  /** JSON as text, because `jsonb` rejects NUL and reorders keys. */
  body: string;
}

interface ChangeTable {
  session_id: string;
  seq: number;
  path: string;
  mode: StoredChange['mode'];
  content: Uint8Array | null;
  made_by_command: Generated<boolean>;
}

interface ImageTable {
  session_id: string;
  id: string;
  content: Uint8Array;
}

interface PublicationTable {
  session_id: string;
  key: string;
  remote_id: number;
  url: string;
  digest: string;
  updated_at: DefaultTimestamp;
}

interface SpendingTable {
  repository_id: number;
  at: Timestamp;
  session_id: string;
  seq: number;
  /** 0 if the price is not known. */
  dollars: number;
  is_partial: Generated<boolean>;
  /** For whom: GitHub's number and the login; `null` and empty if nobody requested it. */
  person_id: ColumnType<number | null, number | null | undefined, number | null>;
  person: Generated<string>;
  /** Empty if it is not known. */
  model: Generated<string>;
  is_review: Generated<boolean>;
}

interface ResultTable {
  session_id: string;
  repository_id: number;
  model: string;
  result: string;
  rounds: number;
  is_zero_touch: boolean;
  dollars: number;
  is_partial: boolean;
  worked_ms: number;
  sign_ms: number | null;
  proposed_ms: number | null;
  merged_ms: number | null;
  begun_at: Timestamp;
  active_at: Timestamp;
}

interface WatermarkTable {
  source: string;
  until: Timestamp;
  looked_at: DefaultTimestamp;
}

interface MissedDeliveryTable {
  id: string;
  tries: Generated<number>;
  tried_at: DefaultTimestamp;
  is_settled: Generated<boolean>;
  first_seen_at: DefaultTimestamp;
}

interface SignInTable {
  key: string;
  account_id: number;
  login: string;
  sealed: string;
  expires_at: Timestamp;
}

interface KnownLoginTable {
  login: string;
  account_id: number;
  at: DefaultTimestamp;
}

interface ServicePauseTable {
  one: Generated<boolean>;
  reason: string;
  since: DefaultTimestamp;
}

export interface Tables {
  sessions: SessionTable;
  deliveries: DeliveryTable;
  journal: JournalTable;
  changes: ChangeTable;
  images: ImageTable;
  publications: PublicationTable;
  spending: SpendingTable;
  results: ResultTable;
  sign_ins: SignInTable;
  known_logins: KnownLoginTable;
  service_pause: ServicePauseTable;
  watermarks: WatermarkTable;
  missed_deliveries: MissedDeliveryTable;
}
