/** The first script of documents at an address of their own. */
import { startDocument } from './start.ts';

startDocument();
