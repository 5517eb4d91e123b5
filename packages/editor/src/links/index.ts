export { findDocumentLinks, type DocumentLink, type DocumentLinkKind } from './find-links.ts';
