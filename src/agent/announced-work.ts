/**
 * How people say in the first person what they are about to do, by language. An innocent sentence of this form costs
 * one more request, so a few of them do no harm.
 */
const INTENTIONS: readonly RegExp[] = [
  // English; not "let me know".
  /\b(?:I['’]ll|I (?:will|shall)|I(?: am|['’]m) (?:now |just )?(?:going to|about to|starting|beginning|proceeding)|let me(?! know)|let['’]?s|(?:next|now|first|then),? I\b|going to (?:now )?[a-z]+ (?:the|it|this|a)\b)/iu,
  /^(?:(?!\p{L}*thing\b)\p{L}+ing\b.*\bnow|(?:continuing|proceeding|starting|moving on)\b.*)[.!]*$/iu,
  // German
  /(?<!\p{L})(?:ich werde|lass(?:en Sie|t)? (?:mich|uns)|(?:jetzt|nun|als nächstes|zuerst|dann) \p{L}+e ich|ich \p{L}+e (?:jetzt|nun|zuerst|als nächstes|gleich))(?!\p{L})/iu,
  // French
  /(?<!\p{L})(?:je vais|nous allons|laisse(?:z)?[- ]moi|je (?:commence|passe|procède)|commençons)(?!\p{L})/iu,
  // Spanish, Portuguese, Italian
  /(?<!\p{L})(?:voy a|vamos a|déjame|permíteme|procederé|(?:eu )?vou|vamos|deixe-me|deixa-me|irei|vado a|sto per|ora (?:procedo|passo)|procederò|lasciami|fammi)(?!\p{L})/iu,
  // Dutch and the languages of Scandinavia
  /(?<!\p{L})(?:ik ga|ik zal|laat me|(?:jag|jeg) (?:kommer att|ska|skal|vil)|låt mig|lad mig|la meg)(?!\p{L})/iu,
  // Russian, Ukrainian, Polish, Czech, Turkish
  /(?<!\p{L})(?:я (?:сейчас|теперь|буду)|(?:сейчас|теперь|затем|далее) я|давайте|позвольте|зараз я|я зараз|teraz (?:przejdę|zrobię|sprawdzę|edytuję)|zamierzam|nyní|podívám se|şimdi)(?!\p{L})/iu,
  // Chinese, Japanese, Korean
  /我(?:现在|这就|马上|先)?(?:将|会|来|要|准备)|(?:让|讓)我|接下来我?|(?:これから|次に|まず|では|続いて|今から).*(?:ます|ましょう)|(?:てみ|ていき)ます|ましょう[。.]?$|(?:겠습니다|할게요|합시다)/u,
];

/** After a colon or an ellipsis something was to follow. */
const OPEN_END = /[:：…]$|\.\.\.$/u;
const SENTENCE = /[^.!?。！？\n]+(?:[.!?。！？]+(?!\s|$)[^.!?。！？\n]+)*[.!?。！？]*/gu;
/** Behind the words: emphasis, quotes, blanks. */
const AROUND = /[\s*_"'“”’)]+$/u;
/** Characters at the end of a text in which its last sentence is. */
const END = 2_000;

/** Whether a text ends by saying what its author is about to do, in place of doing it. Takes linear time. */
export function announcesWork(text: string): boolean {
  const end = text.slice(-END).replace(AROUND, '');
  if (OPEN_END.test(end)) return true;
  const last = end.match(SENTENCE)?.findLast((sentence) => /\p{L}/u.test(sentence)) ?? '';
  return INTENTIONS.some((intention) => intention.test(last.trim()));
}
