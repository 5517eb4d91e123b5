/** First script of documents on an isolated origin. */
import { startIsolatedOrigin } from './isolated-origin.ts';
import { startDocument } from './start.ts';

startDocument(startIsolatedOrigin);
