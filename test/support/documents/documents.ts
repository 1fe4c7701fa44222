// All documents that are made from the code, whole or in part.
import { ARCHITECTURE_DOCUMENT, architectureDocument } from './architecture-document.ts';
import { ASKED_DOCUMENT, askedDocument } from './asked-table.ts';
import { COMMANDS_DOCUMENT, commandsDocument } from './commands-document.ts';
import { CONFIGURATION_DOCUMENT, configurationDocument } from './configuration-document.ts';
import {
  COMPARISON_DOCUMENT,
  comparisonDocument,
  GITHUB_RULES_DOCUMENT,
  githubRulesDocument,
} from './github-rules-document.ts';
import { OPERATIONS_DOCUMENT, operationsDocument } from './metrics-document.ts';
import { MODELS_DOCUMENT, modelsDocument } from './models-document.ts';
import { PERMISSIONS_DOCUMENT, permissionsDocument } from './permissions-document.ts';
import { PROMPTS_DOCUMENT, promptsDocument } from './prompts-document.ts';
import { SCHEMA_FILE, settingsSchemaDocument } from './settings-schema.ts';
import { TOOLS_DOCUMENT, toolsDocument } from './tools-document.ts';
import { USING_DOCUMENT, usingDocument } from './using-document.ts';

interface Document {
  readonly path: string;
  /** What it has to hold; `current` is what it holds. */
  readonly make: (current: string) => string;
}

export const DOCUMENTS: readonly Document[] = [
  { path: ARCHITECTURE_DOCUMENT, make: architectureDocument },
  { path: ASKED_DOCUMENT, make: askedDocument },
  { path: COMMANDS_DOCUMENT, make: commandsDocument },
  { path: TOOLS_DOCUMENT, make: toolsDocument },
  { path: PROMPTS_DOCUMENT, make: promptsDocument },
  { path: CONFIGURATION_DOCUMENT, make: configurationDocument },
  { path: OPERATIONS_DOCUMENT, make: operationsDocument },
  { path: MODELS_DOCUMENT, make: modelsDocument },
  { path: PERMISSIONS_DOCUMENT, make: permissionsDocument },
  { path: COMPARISON_DOCUMENT, make: comparisonDocument },
  { path: USING_DOCUMENT, make: usingDocument },
  { path: GITHUB_RULES_DOCUMENT, make: githubRulesDocument },
  { path: SCHEMA_FILE, make: settingsSchemaDocument },
];
