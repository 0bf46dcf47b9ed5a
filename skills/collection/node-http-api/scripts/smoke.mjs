// Sends odd requests to a running server and reports the answers.
// Usage: node smoke.mjs http://localhost:3000 [/notes]
// Exit 1 if the server fails with a 5xx, hangs, or breaks the connection without an answer.
const [base = 'http://localhost:3000', path = '/notes'] = process.argv.slice(2);
const json = { 'content-type': 'application/json' };

const probes = [
  ['unknown path', '/no-such-path-here', {}],
  ['prototype as a path', '/__proto__', {}],
  ['climbing out', '/..%2f..%2fetc%2fpasswd', {}],
  ['broken escape', '/%E0%A4%A', {}],
  ['unknown method', path, { method: 'PATCH' }],
  ['empty body', path, { method: 'POST', headers: json }],
  ['not JSON', path, { method: 'POST', headers: json, body: '{"text":' }],
  ['null', path, { method: 'POST', headers: json, body: 'null' }],
  ['wrong type', path, { method: 'POST', headers: json, body: '{"text":{"a":1}}' }],
  ['large body', path, { method: 'POST', headers: json, body: JSON.stringify({ text: 'x'.repeat(2e6) }) }],
];

let failed = 0;
for (const [name, where, init] of probes) {
  let line;
  try {
    const answer = await fetch(base + where, { ...init, signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    line = `${answer.status} ${answer.headers.get('content-type') ?? 'no content-type'}`;
    if (answer.status >= 500) failed += 1;
  } catch (error) {
    // A server may close the connection while a body that is too large is still being sent.
    line = `no answer (${error.cause?.code ?? error.name})`;
    if (name !== 'large body') failed += 1;
  }
  console.log(`${name.padEnd(22)}${line}`);
}
process.exitCode = failed ? 1 : 0;
