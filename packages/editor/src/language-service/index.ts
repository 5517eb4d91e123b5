export { createMarkupClient, type MarkupClient } from './markup-client.ts';
export { LanguageClient, type LanguageClientOptions } from './language-client.ts';
export type { LanguageServiceOptions } from './language-clients.ts';
export { languageService } from './language-service.ts';
export type { CodeDiagnostic, FileEdits, CodeLocation } from '../typescript/messages.ts';
