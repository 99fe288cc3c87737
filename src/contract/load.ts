import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { present } from '../collections.js';
import { clausesOf } from './clauses.js';
import { ContractError } from './errors.js';
import { findOperations, readServer, serverPathsOf } from './find-operations.js';
import { child, textOf, type ValuePath } from './json-values.js';
import type { LoadOptions } from './load-options.js';
import { warnOfMisspeltExtensions } from './misspelt-extensions.js';
import type { AppliedOverlay, Contract } from './model.js';
import { childNode, type Node, Problems } from './node.js';
import type { SpecificationVersion } from './official-schema.js';
import { readOperations } from './operations.js';
import { readGivenParameters } from './parameter-values.js';
import { ParameterFiller } from './parameters.js';
import { SchemaConverter } from './portable-schema.js';
import { checkReferences, References } from './references.js';
import { Security } from './security.js';
import { readDeclaredSchemes } from './security-schemes.js';
import { type ParsedFile, type ReadSource, readSource } from './source.js';
import { specificationVersion, validateDocument } from './validate-document.js';
import { withVisibleText } from './visible-contract.js';

/** JSONPath is loaded only for overlays: it has forty modules. */
const applyOverlayFiles = async (
  document: ParsedFile,
  files: string | undefined,
  problems: Problems,
): Promise<{ readonly source: ParsedFile; readonly overlays: readonly AppliedOverlay[] }> => {
  if (files === undefined) return { source: document, overlays: [] };
  const { applyOverlays } = await import('./overlay.js');
  const source = applyOverlays(document, files, problems);
  return { source, overlays: source.overlays };
};

/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2; YAML or JSON) and normalises what it says about
 * access.
 * @param file path of the document
 * @throws {ContractError} with every problem found, each with file, line and column
 */
export const loadContract = (file: string, options: LoadOptions = {}): Promise<Contract> =>
  loadContractThrough(readSource, file, options);

/** Loads a contract with files that were read before. */
export const loadContractThrough = async (read: ReadSource, file: string, options: LoadOptions): Promise<Contract> => {
  const problems = new Problems();
  try {
    return await load(read, file, options, problems);
  } catch (error) {
    // The warnings of an overlay often explain the errors.
    if (!(error instanceof ContractError) || error.warnings.length > 0 || problems.warnings.length === 0) throw error;
    throw new ContractError(error.problems, { warnings: problems.warnings, cause: error });
  }
};

const load = async (read: ReadSource, file: string, options: LoadOptions, problems: Problems): Promise<Contract> => {
  const document = await openDocument(read, file, options, problems);
  const { source, root, overlays, version, references } = document;
  const { schemas, fillable, ...operations } = describeOperations(document, options, problems);
  const server = readServer(root, problems);
  const sentences = clausesOf(root, { ...operations, fillable, overlays }, problems, options.identities);
  problems.throwErrors();
  const info = child(root.value, 'info');
  const shown = withVisibleText(
    present({
      title: textOf(child(info, 'title')) || basename(source.file),
      version: textOf(child(info, 'version')),
      file: source.file,
      sha256: digestOf(references.sources),
      overlays,
      specification: version ?? '',
      server,
      serverPaths: serverPathsOf(root),
      ...sentences,
      ...operations,
      warnings: problems.warnings,
    }),
  );
  for (const each of references.sources) each.release();
  return {
    ...shown,
    get schemas() {
      return schemas.registry;
    },
  };
};

/** A document that fits the specification, with its overlays applied. */
interface ValidDocument {
  readonly source: ParsedFile;
  readonly root: Node;
  readonly overlays: readonly AppliedOverlay[];
  readonly version: SpecificationVersion | undefined;
  readonly references: References;
  /** Where schemas of bodies do not fit. */
  readonly invalidPaths: readonly ValuePath[];
}

const openDocument = async (
  read: ReadSource,
  file: string,
  { overlay, refRoot }: LoadOptions,
  problems: Problems,
): Promise<ValidDocument> => {
  const { source, overlays } = await applyOverlayFiles(read(file), overlay, problems);
  const root: Node = { source, path: [], value: source.value };
  const version = specificationVersion(root, problems);
  const invalid = version === undefined ? [] : validateDocument(root, version, problems);
  warnOfMisspeltExtensions(root, problems);
  problems.throwErrors();
  const references = new References(source, problems, refRoot, read);
  const broken = checkReferences(source, references, problems);
  return { source, root, overlays, version, references, invalidPaths: [...invalid, ...broken] };
};

/** The operations of a document, and which key opens each. */
const describeOperations = (
  { root, version, references, invalidPaths }: ValidDocument,
  options: LoadOptions,
  problems: Problems,
) => {
  const declaredSchemes = readDeclaredSchemes(root, references, problems, version === '3.2');
  const schemas = new SchemaConverter(root, references, { isVersion30: version === '3.0', invalidPaths });
  const given = readGivenParameters(options.parameters);
  const found = findOperations({ root, references, problems });
  const security = new Security(
    { root, declaredSchemes, operations: found.map(({ node }) => node), problems },
    options,
  );
  const { operations, unprobed, fillable, links } = readOperations(found, {
    root,
    references,
    problems,
    security,
    schemas,
    parameters: new ParameterFiller(references, problems, given),
    paths: options.paths ?? {},
    unsafeMethods: options.unsafeMethods ?? false,
  });
  problems.throwErrors();
  if (operations.length + unprobed.length === 0)
    problems.error(
      childNode(root, 'paths'),
      'the document has no operations',
      'Add at least one path with a GET operation.',
    );
  given.reportUnknownNames(problems);
  return {
    operations,
    unprobed,
    fillable,
    hasGivenValues: given.isEmpty ? undefined : (true as const),
    links: links.length > 0 ? links : undefined,
    schemes: security.schemes,
    schemas,
  };
};

/** SHA-256 of all sources; of one file without overlays, that of its bytes. */
const digestOf = (sources: readonly ParsedFile[]): string => {
  const hash = createHash('sha256');
  for (const { bytes } of sources) hash.update(bytes);
  return hash.digest('hex');
};
