import type { ModelImage } from '../../contracts/image.ts';

/** What precedes an image in a message, which refers to it by its number. */
export const nameOf = ({ number }: ModelImage): string => `Image ${number}:`;

export const dataUrl = ({ type, data }: ModelImage): string => `data:${type};base64,${data}`;
