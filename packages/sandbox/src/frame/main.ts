/** The first script of documents at an address of their own. */
import { beServed } from './served.ts';
import { startDocument } from './start.ts';

startDocument(beServed);
