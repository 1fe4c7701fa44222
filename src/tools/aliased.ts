import { z } from 'zod';

/** An object within the arguments, some of whose fields are accepted under other names too. */
export const aliased = <Item extends z.ZodObject>(
  item: Item,
  aliases: Readonly<Record<string, keyof z.input<Item>>>,
) =>
  z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        Object.hasOwn(aliases, key) ? aliases[key] : key,
        field,
      ]),
    );
  }, item);
