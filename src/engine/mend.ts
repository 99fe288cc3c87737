import { jsonText } from '../visible.js';
import type { OperationResult } from './results.js';

/**
 * The line that would get an operation judged: an entry of PARAMETERS, a setting, or the target of
 * an overlay action. Which action is right is for its owner to say, so none is proposed.
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
