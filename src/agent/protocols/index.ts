import type { ProtocolName } from '../../contracts/entries.ts';
import type { Protocol } from '../protocol.ts';
import { jsonProtocol } from './json.ts';
import { native } from './native.ts';
import { none } from './none.ts';
import { reactProtocol } from './react.ts';

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  native,
  json: jsonProtocol,
  react: reactProtocol,
  none,
};

export const protocolNamed = (name: ProtocolName): Protocol => PROTOCOLS[name];
