/** What a repository describes for everyone who works in it, to be read when it is needed. */
export interface Skills {
  /** @throws {TellModel} naming the skills that there are, if there is none of this name */
  read(name: string): string;
}
