/** Whether a path is this place, or below it; an empty place is the root. Both with `/`, none at an end. */
export const isWithin = (path: string, place: string): boolean =>
  place === '' || path === place || path.startsWith(`${place}/`);
