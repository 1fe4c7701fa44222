// What a model adapter throws besides `TellPerson` and `TryLater`.

/** The server answers requests with tools by a refusal; without them it may well answer. */
export class ToolsRefused extends Error {
  override readonly name = 'ToolsRefused';
}

/** The conversation is longer than the model can read. */
export class ContextOverflow extends Error {
  override readonly name = 'ContextOverflow';
}
