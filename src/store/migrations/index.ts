import type { Migration } from 'kysely/migration';
import { sessions } from './0001_sessions.ts';
import { spending } from './0002_spending.ts';
import { servicePause } from './0003_service_pause.ts';
import { contentBudget } from './0004_content_budget.ts';
import { refusals } from './0005_refusals.ts';

/** Run in the order of their names, each once. One that was released is never changed. */
export const migrations: Record<string, Migration> = {
  '0001_sessions': sessions,
  '0002_spending': spending,
  '0003_service_pause': servicePause,
  '0004_content_budget': contentBudget,
  '0005_refusals': refusals,
};
