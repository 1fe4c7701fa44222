// A container image whose file system commands see in place of the machine's.
import type { ShellProgram } from './shell.ts';

/** What commands find in an image. Found once, by a command. */
export interface ImageInventory {
  /** As a list in words; empty if that is not known. */
  readonly programs: string;
  readonly program: ShellProgram;
  readonly hasGit: boolean;
}

/** The file system of an image, unpacked. Nothing writes to it. */
export interface ImageRoot {
  /** The absolute path of its root directory, in which are only files, directories and links. */
  readonly root: string;
  /** The variables that it gives its programs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An image that commands can run in. */
export interface UnpackedImage extends ImageRoot {
  /** As people name it, such as `docker.io/library/python:3.12`. */
  readonly name: string;
  readonly digest: string;
  readonly facts: ImageInventory;
  /** How long it took to fetch and unpack it; missing if it was here already. */
  readonly seconds?: number;
}

/** An image as people hear of it. */
export type ImageOfCommands = Pick<UnpackedImage, 'name' | 'digest' | 'seconds'>;

export interface ImageLimits {
  /** Of the packed and the unpacked files, each. */
  readonly bytes: number;
  readonly files: number;
}

/** What unpacks an image, contained. */
export interface Unpacker {
  /**
   * Unpacks the image in `tree/layout` of a directory, which is for this alone, to `rootfs` there.
   * @throws {TellPerson} if that is not possible
   */
  unpack(directory: string, limits: ImageLimits, signal: AbortSignal): Promise<void>;
  /** @throws {TellPerson} if no command runs in it */
  examine(image: ImageRoot): Promise<ImageInventory>;
}
