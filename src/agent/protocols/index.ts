import type { ProtocolName } from '../../contracts/entries.ts';
import type { Protocol } from '../protocol.ts';
import { json } from './json.ts';
import { native } from './native.ts';
import { none } from './none.ts';
import { react } from './react.ts';

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = { native, json, react, none };

export const protocolNamed = (name: ProtocolName): Protocol => PROTOCOLS[name];
