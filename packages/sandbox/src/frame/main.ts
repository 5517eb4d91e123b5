/** First script of documents on an isolated origin. */
import { beServed } from './served.ts';
import { startDocument } from './start.ts';

startDocument(beServed);
