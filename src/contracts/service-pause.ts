/** The operator's pause of the whole service. */
export interface ServicePause {
  readonly reason: string;
  readonly since: Date;
}
