// The report of git receive-pack: why each ref was rejected. Formats: gitprotocol-pack(5), "Report Status".

const HEADER = 4;
const REPORT_BAND = 1;

/** Gives another reason to the refs that the hook rejected. */
export function withReason(answer: Buffer, reason: string): Buffer {
  const packets = packetsOf(answer);
  const hasBands = packets.some((one) => one !== undefined && one[0] === REPORT_BAND);
  if (!hasBands) return joined(packets.map((one) => reworded(one, reason)));
  const isReport = (one: Buffer | undefined): one is Buffer => one?.[0] === REPORT_BAND;
  const report = Buffer.concat(packets.filter(isReport).map((one) => one.subarray(1)));
  const inner = joined(packetsOf(report).map((one) => reworded(one, reason)));
  const band = Buffer.concat([Buffer.from([REPORT_BAND]), inner]);
  const at = packets.findIndex(isReport);
  const kept = packets.map((one, index) => (index === at ? band : one));
  return joined(kept.filter((one) => one === band || !isReport(one)));
}

function reworded(line: Buffer | undefined, reason: string): Buffer | undefined {
  const match = /^(ng \S+) pre-receive hook declined\n?$/.exec(line?.toString() ?? '');
  return match === null ? line : Buffer.from(`${match[1]} ${reason}\n`);
}

/** The contents of the packets; `undefined` for one that ends a section. */
function packetsOf(bytes: Buffer): (Buffer | undefined)[] {
  const packets: (Buffer | undefined)[] = [];
  for (let at = 0; at + HEADER <= bytes.length;) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + HEADER), 16);
    packets.push(length < HEADER ? undefined : bytes.subarray(at + HEADER, at + length));
    at += Math.max(length, HEADER);
  }
  return packets;
}

const joined = (packets: readonly (Buffer | undefined)[]): Buffer =>
  Buffer.concat(
    packets.flatMap((one) => {
      const length = one === undefined ? 0 : one.length + HEADER;
      return [Buffer.from(length.toString(16).padStart(HEADER, '0')), one ?? Buffer.alloc(0)];
    }),
  );
