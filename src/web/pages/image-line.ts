import type { NumberedImage } from '../../contracts/image.ts';

/** "Image 2: PNG, 640 × 480 pixels, 12 kB" */
export const imageLine = ({ number, type, width, height, bytes }: NumberedImage): string =>
  `Image ${number}: ${type.slice('image/'.length).toUpperCase()}, ${width} × ${height} pixels, ${Math.ceil(bytes / 1000)} kB`;
