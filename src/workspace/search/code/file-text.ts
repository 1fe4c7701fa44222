export const MAX_FILE_BYTES = 512 * 1024;

/** What of a file is searched. Of a binary one, only the path counts. */
export const textOf = (content: Buffer): string => (content.includes(0) ? '' : content.toString());
