import { describe, expect, test } from 'vitest';
import { createContentHeaders } from '../../src/storage/safe-headers.ts';

describe('DB-25: a stored file', () => {
  test.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'text/xml',
    'application/xml',
    'application/rss+xml',
    'text/xsl',
    'text/javascript',
    'application/x-javascript',
    'application/ecmascript',
    'application/manifest+json',
    'multipart/x-mixed-replace',
    'application/pdf',
  ])('that a browser would execute is a download with a passive type: %s', (type) => {
    const headers = createContentHeaders(type, undefined);
    expect(headers.get('content-type')).toMatch(
      /^(text\/plain; charset=utf-8|application\/octet-stream)$/,
    );
    expect(headers.get('content-disposition')).toBe('attachment');
  });

  test.each(['image/svg+xml', 'image/svg+xml; charset=utf-8', 'application/x-unknown'])(
    'is a download with its own type: %s',
    (type) => {
      const headers = createContentHeaders(type, undefined);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-disposition')).toBe('attachment');
    },
  );

  test.each([
    'image/png',
    'video/mp4',
    'text/plain;charset=UTF-8',
    'application/json',
    'font/woff2',
  ])('is displayed where it cannot execute: %s', (type) => {
    const headers = createContentHeaders(type, undefined);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toBeNull();
  });

  test.each(['text/html', 'image/svg+xml', 'image/png'])('is not sniffed: %s', (type) => {
    const headers = createContentHeaders(type, 'name');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox$/);
  });
});
