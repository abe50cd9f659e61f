// @ts-check
// Assertions of unit tests.

/** Writes a value so that equal values have equal texts; maps and sets keep their order. @param {unknown} value @returns {string} */
function text(value) {
  return (
    JSON.stringify(value, (_, inner) => {
      if (inner instanceof Map) {
        return { map: [...inner] };
      }
      if (inner instanceof Set) {
        return { set: [...inner] };
      }
      return inner === undefined ? "undefined" : Object.is(inner, NaN) ? "NaN" : inner;
    }) ?? String(value)
  );
}

/** Fails unless two values have the same content. @param {unknown} actual @param {unknown} expected */
export function equal(actual, expected) {
  if (text(actual) !== text(expected)) {
    throw new Error(`expected ${text(expected)}, got ${text(actual)}`);
  }
}

/** Fails unless a condition holds. @param {unknown} condition @param {string} message */
export function ok(condition, message) {
  if (!condition) {
    throw new Error(message);
  }
}
