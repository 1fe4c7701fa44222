// Orders in a commit message that CI systems document. Most look for one anywhere in the message, also in code and
// in the words of a link, so it is no use to ask where it is. Other words in brackets are nobody's order and stay:
// `items[skip]`, `[Skip to content](…)`, `[no-console]`.

/** What GitHub, GitLab, Bitbucket, Jenkins and nearly all others read, with any signs between: `[skip_ci]`. */
const CI = String.raw`skip[^\p{L}\p{N}[\]]*ci|ci[^\p{L}\p{N}[\]]*skip|no[\s-]+ci`;

/** What is skipped, or which service: GitHub, Azure, semantic-release, Render, Amplify, Expo, pre-commit.ci, … */
const TARGETS =
  String.raw`(?:actions?|workflows?|checks?|cd|deploy(?:ment)?|releases?|previews?|builds?|pipelines?|jobs?|
  az(?:ure)?p(?:ipelines)?|appveyor|amplify|bitbucket|bitrise|buddy|buildkite|circle|cirrus|cf[\s-]+pages|
  cloudflare|codebuild|codefresh|codeship|dependabot|drone|eas|github|gitlab|heroku|jenkins|netlify|pre-commit|
  rtd|railway|render|semaphore|travis|vela|vercel|woodpecker)(?:[\s.-]*ci)?`.replaceAll(
    /\n */g,
    '',
  );

/** With a sign between that no name in code has: `options[skipBuild]` stays. */
const OTHERS = String.raw`skip[\s-]+${TARGETS}|${TARGETS}[\s-]+skip`;

/** JFrog; DeployHQ, unless it is a subscript; and DeployHQ's order to deploy. */
const EXACT = String.raw`skiprun|(?<!\w\[)skip_build|deploy:[^[\]\n]{1,100}`;

const MARK = new RegExp(String.raw`\[(\s{0,9}(?:${CI}|${OTHERS}|${EXACT})\s{0,9})\]`, 'giu');

/** Azure and Drone. No service documents `[no_ci]`, full-width stars or other brackets, such as `⟦skip ci⟧`: they stay. */
const STARRED = /(?<=\*{3}no)_(?=ci\*{3})/gi;

/** Codeship. */
const OPTION = /(?<=(?<![\p{L}\p{N}-])--(?:skip|ci))-(?=(?:ci|skip)(?![\p{L}\p{N}_-]))/giu;

/** `[skip ci]` becomes `(skip ci)`, `***NO_CI***` `***NO-CI***`, and `--skip-ci` `--skip_ci`. */
export const withoutSkips = (text: string): string =>
  withPlainBrackets(text).replaceAll(MARK, '($1)').replaceAll(STARRED, '-').replaceAll(OPTION, '_');

/** In other forms of letters and brackets: `［ｓｋｉｐ ci］`. */
const DISGUISED = /[[［﹇][^[\]［］﹇﹈\n]{1,120}[\]］﹈]/gu;

/** Marks are read as programs read them that bring all forms of a letter together. */
const withPlainBrackets = (text: string): string =>
  text.replaceAll(DISGUISED, (piece) => {
    const plain = piece.normalize('NFKC').replace(/^﹇/, '[').replace(/﹈$/, ']');
    return plain !== piece && plain.replaceAll(MARK, '') === '' ? plain : piece;
  });
