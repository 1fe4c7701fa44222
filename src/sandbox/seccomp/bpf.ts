// Classic BPF as seccomp uses it: a program of eight-byte instructions over `struct seccomp_data`.

export interface Instruction {
  readonly code: number;
  /** How many instructions to skip if the comparison is true (`jt`) or false (`jf`). */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_SET = 0x45;
const RETURN = 0x06;

const instruction = (code: number, k: number, jt = 0, jf = 0): Instruction => ({
  code,
  jt,
  jf,
  k: k >>> 0,
});

export const loadNumber = instruction(LOAD_WORD, 0);
export const loadArchitecture = instruction(LOAD_WORD, 4);
/** The lower 32 bits of an argument, which is all the kernel reads of an `int`. */
export const loadLow = (argument: number): Instruction => instruction(LOAD_WORD, 16 + 8 * argument);
export const loadHigh = (argument: number): Instruction =>
  instruction(LOAD_WORD, 20 + 8 * argument);

export const allow = instruction(RETURN, 0x7fff0000);
export const killProcess = instruction(RETURN, 0x80000000);
export const fail = (errno: number): Instruction => instruction(RETURN, 0x00050000 | errno);

/** Runs `then` if the loaded word equals `value`; otherwise skips it. */
export const ifEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_EQUAL, value, 0, skipping(then)),
  ...then,
];

export const unlessEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_EQUAL, value, skipping(then), 0),
  ...then,
];

export const ifGreater = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_GREATER, value, 0, skipping(then)),
  ...then,
];

/** Runs `then` if the loaded word has any of the bits; otherwise skips it. */
export const ifAnyBit = (bits: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_SET, bits, 0, skipping(then)),
  ...then,
];

function skipping(instructions: readonly Instruction[]): number {
  if (instructions.length > 255) throw new RangeError('A BPF jump reaches 255 instructions.');
  return instructions.length;
}

/** The program in the kernel's binary form, little-endian. */
export function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(jt, 8 * index + 2);
    bytes.writeUInt8(jf, 8 * index + 3);
    bytes.writeUInt32LE(k, 8 * index + 4);
  }
  return bytes;
}
