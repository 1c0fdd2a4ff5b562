// Reads a JSON list of documents from standard input and writes one of what Kubernetes' schemas say of each: null, or what is wrong.
// The schemas know types, required members and formats, but take members that they do not know; the types made of them do not.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

async function byTheSchema(document) {
  try {
    const models = await import(`kubernetes-models/${document.apiVersion}/${document.kind}`);
    new models[document.kind](document).validate();
    return null;
  } catch (error) {
    return String(error.message ?? error);
  }
}

function byTheTypes(documents) {
  mkdirSync("documents", { recursive: true });
  const names = documents.map((document, i) => {
    const { apiVersion, kind } = document;
    const name = `documents/${i}.ts`;
    writeFileSync(name, `import type { I${kind} } from "kubernetes-models/${apiVersion}/${kind}";\n` +
                        `export const document: I${kind} = ${JSON.stringify(document, null, 1)};\n`);
    return name;
  });
  const settings = { noEmit: true, strict: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022,
                     module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const program = ts.createProgram(names, settings);
  return names.map((name) => {
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(name));
    return found.length ? found.map((d) => ts.flattenDiagnosticMessageText(d.messageText, " ")).join("; ") : null;
  });
}

const documents = JSON.parse(readFileSync(0, "utf8"));
const typed = byTheTypes(documents);
const said = [];
for (const [i, document] of documents.entries()) said.push((await byTheSchema(document)) ?? typed[i]);
console.log(JSON.stringify(said));
