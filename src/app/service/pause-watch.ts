import type { Store } from '../../store/store.ts';
import type { ServicePause } from '../../contracts/service-pause.ts';

/** The operator's pause of the whole service, as last looked up. */
export class PauseWatch {
  readonly #store: Pick<Store, 'servicePause'>;
  #current: ServicePause | undefined;

  constructor(store: Pick<Store, 'servicePause'>) {
    this.#store = store;
  }

  get current(): ServicePause | undefined {
    return this.#current;
  }

  async look(): Promise<ServicePause | undefined> {
    this.#current = await this.#store.servicePause();
    return this.#current;
  }
}
