import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { METRIC_PREFIX, METRICS, type MetricName } from '../../src/telemetry/instruments.ts';

const Alerts = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+m$/)
            .optional(),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});

const labelsOf = (name: MetricName): Readonly<Record<string, string>> => {
  const definition = METRICS[name];
  return 'labels' in definition ? definition.labels : {};
};

/** What an expression has that no metric of ours has: names, labels, and values of labels. */
function expressionFaults(expression: string): readonly string[] {
  const faults: string[] = [];
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const used = [...expression.matchAll(/\bissuewright_(\w+)(?:\{([^}]*)\})?/g)];
  if (used.length === 0) faults.push('no metric');
  for (const [, given = '', matchers = ''] of used) {
    const name = (Object.keys(METRICS) as MetricName[]).find((one) => one === given);
    if (name === undefined) {
      faults.push(`no metric ${METRIC_PREFIX}${given}`);
      continue;
    }
    const labels = labelsOf(name);
    for (const label of grouped)
      if (!Object.hasOwn(labels, label)) faults.push(`${name} has no label ${label}`);
    for (const matcher of matchers === '' ? [] : matchers.split(',')) {
      const [, label = '', value = ''] = /^(\w+)!?="(.*)"$/.exec(matcher) ?? [];
      if (labels[label]?.includes(`\`${value}\``) !== true)
        faults.push(`${name} has no ${label} ${value}`);
    }
  }
  return faults;
}

describe('docs/alerts.yaml', () => {
  const { groups } = Alerts.parse(parse(readFileSync('docs/alerts.yaml', 'utf8')));
  const rules = groups.flatMap((group) => group.rules);

  it('has three alerts', () => {
    expect(rules).toHaveLength(3);
  });

  it.each(rules.map(({ alert, expr }) => [alert, expr]))(
    '%s asks for metrics, labels and outcomes that exist',
    (_alert, expression) => {
      expect(expressionFaults(expression)).toEqual([]);
    },
  );

  it.each([
    ['issuewright_gone_total > 0', 'no metric issuewright_gone_total'],
    ['max by (state) (issuewright_oldest_job_seconds)', 'oldest_job_seconds has no label state'],
    ['issuewright_deliveries_total{outcome="lost"} > 0', 'deliveries_total has no outcome lost'],
    ['issuewright_cache_bytes{kind="ok"} > 0', 'cache_bytes has no kind ok'],
    ['up == 0', 'no metric'],
  ])('would be found to ask for nothing with %s', (expression, fault) => {
    expect(expressionFaults(expression)).toEqual([fault]);
  });
});
