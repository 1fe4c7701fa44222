// Webhooks, by GitHub's description of each action of each event.
import { objectOf } from './json.ts';
import { SchemaFile, type Fault } from './schema-file.ts';

export class WebhookSchemas {
  readonly #file = new SchemaFile('openapi-webhooks');

  /** Such as `issues-opened`. */
  nameOf(event: string, action: unknown): string {
    const names = typeof action === 'string' ? [event, action] : [event];
    return names.join('-').replaceAll('_', '-');
  }

  /** `undefined`: GitHub has no such event. */
  faults(name: string, payload: unknown): Fault[] | undefined {
    const description = objectOf(objectOf(this.#file.content['webhooks'])[name])['post'];
    if (description === undefined) return undefined;
    const { content } = this.#file.resolve(objectOf(description)['requestBody']);
    const { schema } = objectOf(objectOf(content)['application/json']);
    return this.#file.faults(schema, payload);
  }
}
