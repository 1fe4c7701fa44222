/** The host of an http(s) address, with its port where it is not the usual one. */
export const hostOf = (url: string): string => new URL(url).host;
