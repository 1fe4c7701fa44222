import { NotInstalled } from '../errors.ts';
import type { TokenRequest, Tokens } from './tokens.ts';

/** The installation of a repository, which changes if the App is installed again. */
export interface InstallationOf {
  known(): number;
  /** Looks whether it has changed. */
  lookUp(): Promise<number>;
}

/** A token for a purpose, whatever the installation is by then. */
export type ClientRequest = Omit<TokenRequest, 'invalidToken' | 'installation'> & {
  readonly installation: InstallationOf;
};

/** A token for the installation that the repository has now. */
export const tokensOfInstallation =
  (tokens: Tokens) =>
  async (
    { installation, ...at }: ClientRequest,
    invalidToken: string | undefined,
  ): Promise<string> => {
    const known = installation.known();
    try {
      return await tokens.get({ ...at, installation: known, invalidToken });
    } catch (error) {
      const now = error instanceof NotInstalled ? await installation.lookUp() : known;
      if (now === known) throw error;
      return tokens.get({ ...at, installation: now, invalidToken });
    }
  };

export const always = (installation: number): InstallationOf => ({
  known: () => installation,
  lookUp: () => Promise.resolve(installation),
});
