import type { Explanation } from '../../report/explain.js';

/** HTTPS-1 and HTTPS-2. */
export const transport: Readonly<Record<string, Explanation>> = {
  'serves-https': {
    asks: 'The API is served over HTTPS at the base URL, with a certificate that is valid today and made out for that host.',
    sends: 'One GET to the base path, on a connection of its own; a second one where the certificate looks wrong.',
    judged: [
      'Failed: the certificate has expired, is not valid yet, was revoked, or names other hosts (RFC 9525).',
      'Inconclusive: its issuer is not known on this machine, which says nothing about the issuer; or nothing answered; or INSECURE_TLS=true.',
      'Passed: a request got through with the certificate verified.',
    ],
    causes: [
      'The renewal did not run, or ran and the server was never reloaded.',
      'The host name was added after the certificate was made, or a default certificate of the proxy is served.',
      'The server sends its own certificate without the intermediate one: browsers often know it already, other clients do not.',
    ],
    fixes: [
      'Renew the certificate, reload every server and proxy that holds it, and look at it with openssl s_client -connect HOST:443 -servername HOST.',
      'Have the host of the base URL among the certificate’s subjectAltName entries.',
      'Serve the full chain (fullchain.pem, not cert.pem). An authority of your own goes into CA_FILE.',
    ],
  },
  'refuses-plain-http': {
    asks: 'The API is reached over HTTPS only: a request over plain HTTP gets nothing of it.',
    sends: [
      'A GET for the operation to the plain-HTTP side (port 80, or HTTP_BASE_URL), each on a connection of its own: with nothing, with a random canary in the key’s place, from a browser, and with two other Hosts (a name of the machine itself, and one that nobody has; neither is the target’s own), and as HEAD.',
      'Where the host has an IPv4 and an IPv6 address, and both can be reached from here: once more to the one that was not asked.',
      'The real key never goes over plain HTTP.',
      'Where an answer looks like the API’s, the same for a path that does not exist there, and everything once more.',
    ],
    judged: [
      'Passed: refused, closed, timed out while HTTPS answers, not HTTP, any error of the plain side, a redirect to https.',
      'Failed: what HTTPS serves comes over plain HTTP too, also behind a redirect that stays in plain HTTP.',
      'Failed: the API’s own refusal of that operation comes over plain HTTP, where a path that does not exist is answered otherwise: then the API itself answers there, and would read a key that was sent in the clear.',
      'Inconclusive: nobody said where the plain-HTTP side is.',
    ],
    causes: [
      'The proxy forwards port 80 to the application instead of redirecting it.',
      'The redirect to https is made for GET alone, and HEAD reaches the application.',
      'The redirect to https is made for the web pages, and the API’s paths are left out of it.',
      'The application’s own port is published beside the proxy.',
    ],
    fixes: [
      'Close port 80 for the API host, or answer every path there with 403 or a redirect to https, before any request reaches the application.',
      'Bind the application to the loopback interface or an internal network.',
      'Refusing is better than redirecting: a client that is redirected has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
      'Say HTTP_BASE_URL=none where no plain-HTTP side exists.',
    ],
  },
  'refuses-plain-http-behind-proxy-fields': {
    asks: 'Plain HTTP gives nothing of the API either when the request claims that it came over TLS.',
    sends:
      'The same GET over plain HTTP with one field each by which a TLS proxy vouches: X-Forwarded-Proto, X-Forwarded-Ssl, Forwarded, Front-End-Https, X-Forwarded-Scheme, CF-Visitor. No key.',
    judged: 'As refuses-plain-http: failed where what HTTPS gives, or the API’s own refusal, comes over plain HTTP.',
    causes: [
      'The application redirects to https unless X-Forwarded-Proto says https, and believes the field from anybody.',
      'The proxy passes on fields that clients sent.',
    ],
    fixes: [
      'Let the proxy overwrite these fields in every request (in nginx: proxy_set_header X-Forwarded-Proto $scheme;).',
      'Name the proxies that may be believed in the framework’s settings, and let nobody else reach the application’s port.',
    ],
  },
  'refuses-plain-http-on-tls-port': {
    asks: 'The port that speaks TLS does not speak plain HTTP as well.',
    sends: 'For up to 20 operations one GET without TLS to the port of the base URL. No key.',
    judged:
      'As refuses-plain-http. A closed connection, a TLS alert or “the plain HTTP request was sent to HTTPS port” is a refusal.',
    causes: 'A server or mesh sidecar that looks at the first byte and takes both on one port.',
    fixes: 'Switch permissive or mixed mode off (strict mutual TLS in a mesh, TLS only at the listener).',
  },
};
