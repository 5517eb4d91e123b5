import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRateLimiter, toRateLimitKey, TokenBucket } from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('a bucket has a burst of tokens, then one per refill', () => {
  const bucket = new TokenBucket({ burst: 3, refillSeconds: 2 });
  const countTokens = () => {
    let count = 0;
    while (bucket.tryConsume()) count += 1;
    return count;
  };
  expect(countTokens()).toBe(3);
  vi.advanceTimersByTime(1_999);
  expect(countTokens()).toBe(0);
  vi.advanceTimersByTime(4_001);
  expect(countTokens()).toBe(3);
  vi.advanceTimersByTime(1_000_000);
  expect(countTokens()).toBe(3);
});

test('a bucket is full again after a refund, or after all refills', () => {
  const bucket = new TokenBucket({ burst: 2, refillSeconds: 10 });
  expect(bucket.isFull()).toBe(true);
  bucket.tryConsume();
  expect(bucket.isFull()).toBe(false);
  bucket.refund();
  bucket.refund();
  expect([bucket.tryConsume(), bucket.tryConsume(), bucket.tryConsume()]).toEqual([
    true,
    true,
    false,
  ]);
  vi.advanceTimersByTime(20_000);
  expect(bucket.isFull()).toBe(true);
});

test('a limiter counts keys separately and returns the seconds to wait', () => {
  const limiter = createRateLimiter({ burst: 1, refillSeconds: 30 });
  expect(limiter.consume('a')).toBe(0);
  expect(limiter.consume('a')).toBe(30);
  expect(limiter.consume('b')).toBe(0);
  vi.advanceTimersByTime(28_500);
  expect(limiter.consume('a')).toBe(2);
  limiter.refund('a');
  expect(limiter.consume('a')).toBe(0);
});

test('a limit of less than a second waits for one', () => {
  const limiter = createRateLimiter({ burst: 1, refillSeconds: 1 / 100 });
  expect([limiter.consume('a'), limiter.consume('a')]).toEqual([0, 1]);
});

test('a limiter evicts full buckets first, then the oldest', () => {
  const limiter = createRateLimiter({ burst: 2, refillSeconds: 10, maxKeys: 3 });
  const exhaust = (key: string) => [limiter.consume(key), limiter.consume(key)];
  exhaust('oldest');
  exhaust('older');
  limiter.consume('refilled');
  vi.advanceTimersByTime(10_000);
  exhaust('new');
  // Had 'oldest' been evicted, it would have a second token.
  expect([limiter.consume('oldest'), limiter.consume('oldest')]).toEqual([0, 10]);
  exhaust('newer');
  expect(exhaust('older')).toEqual([0, 0]);
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('rate limits count %s as %s', (address, network) => {
  expect(toRateLimitKey(address)).toBe(network);
});
