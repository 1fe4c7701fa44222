/** The operator's pause of the whole service: store/ keeps it, app/ follows it, web/ shows it. */
export interface ServicePause {
  readonly reason: string;
  readonly since: Date;
}
