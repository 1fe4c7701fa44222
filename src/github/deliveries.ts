// What GitHub delivered to this App, or tried to. It keeps that for about three days, and repeats nothing by itself.
import type { ProbotOctokit } from 'probot';
import type { DeliveryAttempt, SentDeliveries } from '../contracts/delivery.ts';
import { linkedParameter } from './requests/link-header.ts';
import { checkSignature } from './signature.ts';

const PAGE = 100;
const SIGNATURE = /^x-hub-signature-256$/i;

export const sentDeliveries = (appOctokit: () => Promise<ProbotOctokit>): SentDeliveries => ({
  pages: async function* () {
    const { rest } = await appOctokit();
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const at = cursor === '' ? {} : { cursor };
      const { data, headers } = await rest.apps.listWebhookDeliveries({ ...at, per_page: PAGE });
      yield data.map(attemptOf);
      cursor = linkedParameter(headers.link, 'next', 'cursor');
    }
  },

  payload: async (attempt) => {
    const { rest } = await appOctokit();
    const { data } = await rest.apps.getWebhookDelivery(at(attempt));
    return data.request.payload ?? undefined;
  },

  // The body is made again from what GitHub shows of it. *Unproven*: that it is the same to the byte.
  secretOf: async (attempt, secrets) => {
    const { rest } = await appOctokit();
    const { request } = (await rest.apps.getWebhookDelivery(at(attempt))).data;
    const sent = Object.entries(request.headers ?? {});
    const [, signature] = sent.find(([name]) => SIGNATURE.test(name)) ?? [];
    if (typeof signature !== 'string') return -1;
    const body = Buffer.from(JSON.stringify(request.payload));
    return secrets.findIndex((secret) => {
      const check = checkSignature([secret], signature);
      check.update(body);
      return check.isValid();
    });
  },

  deliverAgain: async (attempt) => {
    const { rest } = await appOctokit();
    await rest.apps.redeliverWebhookDelivery(at(attempt));
  },
});

/** GitHub's ids may be larger than the largest exact number: those come as `bigint`, and go into an address only. */
const at = (attempt: number | bigint) => ({ delivery_id: attempt as number });

type Item = Awaited<
  ReturnType<ProbotOctokit['rest']['apps']['listWebhookDeliveries']>
>['data'][number];

const attemptOf = (item: Item): DeliveryAttempt => ({
  attempt: item.id,
  id: item.guid,
  event: item.event,
  name: item.action === null ? item.event : `${item.event}.${item.action}`,
  at: item.delivered_at,
  status: item.status_code,
  isReceived: item.status_code >= 200 && item.status_code < 300,
});
