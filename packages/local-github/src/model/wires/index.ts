// The list of wires.
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { ollama } from './ollama.ts';
import { responses } from './responses.ts';
import type { Wire } from './wire.ts';

export const WIRES: readonly Wire[] = [chat, responses, messages, gemini, ollama];
