export { createMarkupClient, type MarkupClient } from './markup-client.ts';
export { LanguageClient, type LanguageClientOptions } from './language-client.ts';
export { languageService, type LanguageServiceOptions } from './language-service.ts';
export type { CodeProblem, FileEdits, Place } from '../typescript/messages.ts';
