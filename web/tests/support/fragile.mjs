// A file whose first download breaks off, on a server that can go on in the middle of it.
export class FragileFile {
  /** What was asked for, in order. */
  requests = [];
  version = '"first"';

  constructor(bytes) {
    this.bytes = bytes;
    this.answer = this.answer.bind(this);
  }

  answer(request, response) {
    const { method, headers } = request;
    this.requests.push(`${method} ${headers.range ?? ""}`.trim());
    const begin = Number(headers.range?.match(/bytes=(\d+)-/)?.[1] ?? 0);
    const rest = this.bytes.subarray(begin);
    response.writeHead(begin > 0 ? 206 : 200, {
      etag: this.version,
      "content-length": rest.length,
      "cache-control": "no-store",
    });
    if (method === "HEAD") return response.end();
    const isFirst = this.requests.filter((asked) => asked.startsWith("GET")).length === 1;
    if (!isFirst) return response.end(rest);
    // Browsers lose what has just come if the connection breaks at once.
    return response.write(rest.subarray(0, 5000), () => setTimeout(() => response.destroy(), 300));
  }
}
