// Formulas reach us as their source, which people see drawn. A source that may draw less than it says is
// not passed on.

/** Commands that draw their content, or a symbol. */
const DRAWS: ReadonlySet<string> = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
  varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
  Phi Psi Omega frac dfrac tfrac binom sqrt sum prod int iint iiint oint lim limsup liminf sup inf max min
  log ln exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh det dim ker gcd deg arg mod bmod
  pmod cdot cdots ldots dots vdots ddots times div pm mp ast star circ bullet oplus otimes le leq ge geq lt
  gt ne neq equiv approx sim simeq cong propto in notin ni subset subseteq supset supseteq cup cap setminus
  emptyset forall exists nexists neg lnot land lor wedge vee implies iff to gets mapsto rightarrow leftarrow
  Rightarrow Leftarrow leftrightarrow Leftrightarrow uparrow downarrow infty partial nabla hbar ell Re Im
  aleph angle triangle perp parallel mid left right big Big bigg Bigg langle rangle lfloor rfloor lceil
  rceil vert Vert lvert rvert lVert rVert hat bar vec dot ddot tilde widehat widetilde overline underline
  overbrace underbrace overset underset stackrel mathbb mathbf mathrm mathcal mathfrak mathit mathsf
  mathtt boldsymbol operatorname text textbf textit textrm begin end quad qquad limits nolimits prime degree
  displaystyle textstyle`.split(/\s+/),
);

const ENVIRONMENTS: ReadonlySet<string> = new Set(
  'matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix cases aligned align align* gathered array split equation'.split(
    ' ',
  ),
);

const COMMAND = /\\(?:([A-Za-z]+)|([^]))/g;
const HARMLESS_SIGNS = /^[\\,;: {}|_$&#\n]$/;
const ENVIRONMENT = /\\(?:begin|end)\s*\{([^{}]*)\}/g;
const LONGEST = 2000;

/** Whether a formula is sure to draw all the words of its source. */
export function drawsAll(source: string): boolean {
  if (source.length > LONGEST || /(?<!\\)(?:\\\\)*%/.test(source)) return false;
  for (const [, name = '', sign = ''] of source.matchAll(COMMAND))
    if (name === '' ? !HARMLESS_SIGNS.test(sign) : !DRAWS.has(name)) return false;
  const beginnings = source.split(/\\(?:begin|end)(?![A-Za-z])/).length - 1;
  const known = [...source.matchAll(ENVIRONMENT)].filter(([, name = '']) => ENVIRONMENTS.has(name));
  return known.length === beginnings;
}
