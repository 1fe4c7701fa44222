import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { openCode } from './opencode.ts';
import type { Peer } from './peer.ts';
import { pi } from './pi.ts';

export type { Peer } from './peer.ts';

export const PEERS: readonly Peer[] = [pi, openCode, codex, claude];
