/**
 * A parameter of the address to which a `Link` header leads, such as `page` of `<https://…?page=3>; rel="last"`.
 * (docs.github.com, "Using pagination in the REST API")
 */
export function linkedParameter(
  link: string | undefined,
  relation: 'next' | 'last',
  parameter: string,
): string | undefined {
  const found = link?.split(',').find((each) => each.includes(`rel="${relation}"`));
  const [, address = ''] = /<([^<>]*)>/.exec(found ?? '') ?? [];
  return URL.parse(address)?.searchParams.get(parameter) ?? undefined;
}
