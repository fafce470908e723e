// Accepts the LIST verb, which the parser of node:http rejects. The request is read from the packet that the parser
// rejected, and answered like any other. Its connection closes after the reply.
import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket } from 'node:net';

const headEnd = '\r\n\r\n';

/** Expects the head of the request in one packet, as clients send it, and ignores a body. Anything else is a 400. */
export function takeList(server: Server): void {
  server.on('clientError', (error, socket) => {
    const request = socket instanceof Socket ? listIn(error, socket) : undefined;
    if (!request) {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      else socket.destroy();
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.on('finish', () => {
      response.detachSocket(request.socket);
      request.socket.end();
    });
    server.emit('request', request, response);
  });
}

function listIn(error: Error, socket: Socket): IncomingMessage | undefined {
  if (!('rawPacket' in error) || !(error.rawPacket instanceof Buffer)) return undefined;
  const text = error.rawPacket.toString('latin1');
  const head = text.slice(0, Math.max(0, text.indexOf(headEnd)));
  const [first = '', ...lines] = head.split('\r\n');
  const url = /^LIST (\/\S*) HTTP\/1\.1$/.exec(first)?.[1];
  if (url === undefined) return undefined;
  const request = new IncomingMessage(socket);
  request.method = 'LIST';
  request.url = url;
  request.httpVersion = '1.1';
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  for (const line of lines) {
    const colon = line.indexOf(':');
    request.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return request;
}
