interface Page<T> {
  readonly data: readonly T[];
  readonly headers: { readonly link?: string | undefined };
}

/**
 * The pages of a list that GitHub gives oldest first, from the newest page on; at most `limit` of
 * them, besides the first page, which is where GitHub says how many there are.
 */
export async function* newestPages<T>(
  limit: number,
  fetchPage: (page: number) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  const first = await fetchPage(1);
  const last = lastPage(first.headers.link);
  for (let page = last; page > Math.max(1, last - limit); page -= 1)
    yield (await fetchPage(page)).data;
  yield first.data;
}

const lastPage = (link: string | undefined): number =>
  Number(/[?&]page=(\d{1,9})[^>]*>; rel="last"/.exec(link ?? '')?.[1] ?? 1);
