export const SMALL_HEAP: readonly string[];
export function useSmallHeap(): void;
