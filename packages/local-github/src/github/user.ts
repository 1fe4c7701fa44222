/** A person, a bot or an organization. */
export interface User {
  readonly id: number;
  login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
}
