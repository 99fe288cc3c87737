import { jsonText } from '../visible.js';
import type { OperationResult } from './results.js';

/**
 * Suggests a change that makes an operation judgeable: an entry of PARAMETERS, or the target of an
 * overlay action. Only the owner knows the right action, so none is suggested.
 */
export const mendOf = ({
  why,
  id,
  path,
  method,
  details = [],
}: Pick<OperationResult, 'why' | 'id' | 'path' | 'method' | 'details'>): string | undefined => {
  switch (why) {
    case 'access-unstated':
      return 'overlay target: $.paths.*[?@.responses && !@.security]  # public (security: []), or who needs which key?';
    case 'answers-everybody':
      return `overlay target: $.paths[${jsonText(path)}].${method.toLowerCase()}  # hole in the service, or error of the document?`;
    case 'no-value':
      return details.length === 0
        ? undefined
        : `PARAMETERS: ${jsonText(id)}: {${details.map((named) => `${jsonText(named.slice(named.indexOf(' ') + 1))}: …`).join(', ')}}`;
    default:
      return undefined;
  }
};
